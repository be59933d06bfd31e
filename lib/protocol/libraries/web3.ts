// as anchor.ts beside it; loaded before it, which needs it
export { Connection } from '@solana/web3.js'
