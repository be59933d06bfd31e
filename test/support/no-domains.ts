import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Imported before tap: it follows every promise by async hooks, a tenth of the CPU of a test that asks much, to tell
 * which test an uncaught error belongs to. Without, such an error fails the run all the same, in the name of its file.
 */
hooks.createHook = () => ({ enable () { return this }, disable () { return this } })
syncBuiltinESMExports()
