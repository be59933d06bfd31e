/** Pages made of templates: `{{name}}` becomes a text, escaped. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text of a stranger, such that it can be nothing but text in markup and in the values of its attributes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, character => ESCAPES[character]!)

/**
 * A template with its places filled in.
 * @throws {RangeError} where a place has no value.
 */
export function fillTemplate (template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new RangeError(`no value for {{${name}}}`)
    return escapeHtml(value)
  })
}
