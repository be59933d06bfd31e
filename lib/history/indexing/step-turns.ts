import { createSharedTurns } from '../../async.js'

/** Who may look at the rows and the state, and when a step may change both. */
export interface StepTurns {
  /** Writes rows and takes them into the state, while nobody reads. Throws what `work` throws. */
  change (work: () => Promise<void>): Promise<void>
  /**
   * Runs reads of the store and of the state that belong together: none of them finds a step's rows without its state,
   * or only some of them. `work` is run again where a step came in between. Throws what it throws.
   */
  read<T> (work: () => Promise<T>): Promise<T>
}

export function createStepTurns (): StepTurns {
  /** Steps whose rows are being written, and those that are done. */
  let [begun, done] = [0, 0]
  const turns = createSharedTurns()
  return {
    change: async work => await turns.alone(async () => {
      begun++
      await work().finally(() => { done = begun })
    }),
    async read (work) {
      const before = begun
      if (done === before) {
        // A long reading would hold up the steps, so it begins beside them, and only one that met a step has them wait
        const [outcome] = await Promise.allSettled([work()])
        if (begun === before) {
          if (outcome.status === 'rejected') throw outcome.reason
          return outcome.value
        }
      }
      return await turns.together(work)
    }
  }
}
