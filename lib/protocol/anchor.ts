/** A module of its own, loaded when needed: 20 ms and 3 MB in the build, which takes of web3.js the keys alone. */
export { BorshAccountsCoder } from '@coral-xyz/anchor/dist/cjs/coder/borsh/accounts.js'
