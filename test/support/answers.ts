import type { FastifyInstance } from 'fastify'

/** The JSON of what a service answers at `url`; throws unless it answers 200. */
export async function get<T> (app: FastifyInstance, url: string): Promise<T> {
  const answer = await app.inject(url)
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json<T>()
}

/** `get` of one service. */
export const getterOf = (app: FastifyInstance) => <T>(url: string): Promise<T> => get<T>(app, url)
