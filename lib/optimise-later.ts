import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 optimise what has run for longer than by default: of a service that is mostly idle most of what it optimises in its first refreshes hardly runs
 * again. Takes a fifth off a cold refresh and 5 MB (docs/performance.md). For Node 20 alone: later ones have a cheaper tier in between, and no such flag.
 */
export function optimiseLater (): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000')
}
