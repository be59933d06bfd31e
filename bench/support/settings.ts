/** What every service that is measured is told of its chain. */
import type { Ledger } from '../../simulator/index.js'

/** Of a node that is asked alone, without a subscription. */
export const settingsOf = (url: string, program: string) =>
  ({ CHAIN_RPC_URL: url, CHAIN_WS_URL: '', FACTORY_ADDRESS: program, ROUTER_ADDRESS: program })

/** The ledger's time goes on as it does in truth: a chain that has halted is no longer served after a while. */
export const goOn = (ledger: Ledger, begun: number): NodeJS.Timeout => setInterval(
  () => ledger.advance(Math.max(0, Date.now() / 1000 - begun - ledger.elapsed / 1000)), ledger.slotMs!
)
