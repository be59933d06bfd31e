import fc from 'fast-check'

/** fast-check with one seed for every run, so that a change alone makes a test fail: FUZZ_SEED=2 tries other values. */
fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 1) })

export default fc
