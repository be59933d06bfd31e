import { type Chain } from './chain.js'
export interface LaunchOptions { version: string }
export type Launch = ReturnType<typeof createLaunch>
export function createLaunch (host: { chain: Chain }, options: LaunchOptions): { address: string } {
  throw new Error(`not yet: ${options.version}${host.chain.program}`)
}
