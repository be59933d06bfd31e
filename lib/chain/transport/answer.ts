/** What a JSON-RPC 2.0 answer must look like, whatever stands in its results. */

/** What is known of a request: enough to tell whether an answer belongs to it. */
export interface RequestFacts {
  batch: boolean
  ids: unknown[]
  /** The method, for a batch that of its first member. */
  method: string
}

export interface RpcFailure {
  code: number
  /** The node's own words: data, not for logs. */
  message: string
}

/** One member of an answer. */
export type RpcReply = { result: unknown } | { error: RpcFailure }

/** The replies in the order of the request's ids; or what is wrong; or the error by which a node refuses a batch as a whole. */
export type ReadAnswer =
  | { replies: RpcReply[] }
  | { refused: RpcFailure }
  | { wrong: 'wrong-shape' | 'wrong-ids', what: string }

/**
 * JSON-RPC errors that pass, or that another node may not have: node behind, block not available, slot skipped or missing
 * (short and long term), status not available yet, minContextSlot not reached, internal error, over the rate.
 */
export const TRANSIENT_CODES: ReadonlySet<number> = new Set([-32005, -32004, -32007, -32009, -32014, -32016, -32603, -32429, 429])
/** Of these, the two spellings by which providers say "too many calls". */
export const RATE_CODES: ReadonlySet<number> = new Set([-32429, 429])

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a parsed answer to `request`. Never throws. */
export function readAnswer (request: RequestFacts, answer: unknown): ReadAnswer {
  if (!Array.isArray(answer)) return readSingle(request, answer)
  if (!request.batch) return { wrong: 'wrong-shape', what: 'answered one call with a list' }
  const byId = new Map<unknown, RpcReply>()
  for (const member of answer) {
    const reply = readReply(member)
    if (reply === undefined || !isRecord(member)) return { wrong: 'wrong-shape', what: 'answered a batch with a member that is neither result nor error' }
    byId.set(member.id, reply)
  }
  const replies = request.ids.map(id => byId.get(id)).filter(reply => reply !== undefined)
  return replies.length === request.ids.length && answer.length === request.ids.length
    ? { replies }
    : { wrong: 'wrong-ids', what: 'answered a batch with other ids than asked for' }
}

function readSingle (request: RequestFacts, answer: unknown): ReadAnswer {
  const reply = readReply(answer)
  if (reply === undefined || !isRecord(answer)) return { wrong: 'wrong-shape', what: 'answered with JSON that is no JSON-RPC answer' }
  // A request that the node can't read, or doesn't want as a batch, is answered under id null.
  const general = 'error' in reply && (answer.id === null || answer.id === undefined)
  if (request.batch) {
    return 'error' in reply && general
      ? { refused: reply.error }
      : { wrong: 'wrong-shape', what: 'answered a batch with a single answer' }
  }
  return general || answer.id === request.ids[0]
    ? { replies: [reply] }
    : { wrong: 'wrong-ids', what: 'answered with another id than asked for' }
}

function readReply (member: unknown): RpcReply | undefined {
  if (!isRecord(member)) return undefined
  const { error } = member
  if (error === undefined || error === null) return 'result' in member ? { result: member.result } : undefined
  if (!isRecord(error) || typeof error.code !== 'number' || !Number.isInteger(error.code)) return undefined
  return { error: { code: error.code, message: typeof error.message === 'string' ? error.message : '' } }
}
