import type { Aged } from '../live/fresh.js'

/** Another form of a kept value: made once for each value, with that value's age. */
export function sameLife<V extends object, T> (
  get: () => Promise<Aged<V>>, form: (value: V) => T | Promise<T>
): () => Promise<Aged<T>> {
  let made: { of: V, form: T | Promise<T> } | undefined
  return async () => {
    const { value, ...age } = await get()
    if (made?.of !== value) made = { of: value, form: form(value) }
    return { value: await made.form, ...age }
  }
}
