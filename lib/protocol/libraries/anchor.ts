// a module of its own: what is imported by name when it is needed can be joined by the build
export { Program } from '@coral-xyz/anchor'
