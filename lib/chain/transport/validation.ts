import type { Fetch } from '../types.js'
import { readAnswer, TRANSIENT_CODES, type RpcReply } from './answer.js'
import { answerError, transientError } from './fault.js'
import { readRequest } from './request.js'

/**
 * Lets only JSON-RPC answers to this request through: NODE_BAD_ANSWER for anything else. An error that may pass, or that
 * every member of a batch has, is thrown with its response kept (`keptResponse`), so that it can be retried and still be given to the caller.
 *
 * The text is parsed here once, and `json()` of the response gives that value: a full parse of 3.7 MB (2,000 accounts) takes 2 ms,
 * less than decoding its bytes twice, and only a full parse tells a mutilated answer while another node can still be asked.
 */
export function withValidation (fetch: Fetch, { host }: { host: string }): Fetch {
  return async (input, init) => {
    const request = readRequest(init)
    const response = await fetch(input, init)
    const value = parse(await response.text(), host)
    const answer = readAnswer(request, value)
    if ('wrong' in answer) throw answerError(host, answer.wrong, answer.what)
    const validated = Object.assign(response, { json: async () => value })
    const code = 'refused' in answer ? transientCode([{ error: answer.refused }]) : transientCode(answer.replies)
    if (code !== undefined) throw transientError(host, code, validated)
    return validated
  }
}

function parse (text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The platform's message quotes the text.
    throw answerError(host, 'not-json', 'answered with no JSON')
  }
}

/** The code of the first reply when none of them is worth having; else undefined. */
function transientCode (replies: RpcReply[]): number | undefined {
  const [first] = replies
  if (first === undefined || 'result' in first) return undefined
  return replies.every(reply => 'error' in reply && TRANSIENT_CODES.has(reply.error.code)) ? first.error.code : undefined
}
