/** The configuration of a route whose answers cost work of their own: done in turns, and under pressure left undone. */
export const DEAR = { isDear: true } as const
