/**
 * A module of its own, loaded when it is needed: 90 ms of CPU and 8 MB. The build leaves out the rest of the library.
 */
export { BorshAccountsCoder } from '@coral-xyz/anchor'
