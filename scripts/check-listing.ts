/**
 * Walks a running service by an aggregator's rules and prints what a reviewer would refuse:
 * `npm run check-listing -- --url http://localhost:3000 --form dexscreener`; without `--form` by all of them. Exits 1 where there is something.
 */
import { setTimeout } from 'node:timers/promises'
import { messageOf } from '../lib/errors.js'
import { httpUrl, readCommandLine, refuse, runScript, UsageError } from './command-line.js'
import { checkForm, type Form, FORMS } from './listing/check.js'
import type { Answer } from './listing/rules.js'

/** Most problems of one form that are printed. */
const MAX_PRINTED = 50

const { values } = readCommandLine(`npm run check-listing -- [--url http://127.0.0.1:3000] [--form ${FORMS.join('|')}]`, {
  url: { type: 'string', default: 'http://127.0.0.1:3000' }, form: { type: 'string' }
})

/** The service's limit is waited for, as a crawler would. */
async function get (path: string): Promise<Answer> {
  for (;;) {
    const response = await fetch(new URL(path, values.url)).catch((error: Error) => refuse(`${values.url} can't be asked: ${messageOf(error.cause ?? error)}`))
    if (response.status !== 429) return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() }
    await response.body?.cancel()
    await setTimeout(1000 * (Number(response.headers.get('retry-after')) || 1))
  }
}

await runScript(async () => {
  httpUrl('url', values.url)
  const forms: readonly Form[] = FORMS.filter(form => values.form === undefined || form === values.form)
  if (forms.length === 0) throw new UsageError(`--form ${values.form}: one of ${FORMS.join(', ')}`)
  for (const form of forms) {
    const problems = await checkForm(form, get)
    if (problems.length > 0) process.exitCode = 1
    console.log(`${form}: ${problems.length === 0 ? 'nothing to refuse' : `${problems.length} problems`}`)
    for (const problem of problems.slice(0, MAX_PRINTED)) console.log(`  ${problem}`)
    if (problems.length > MAX_PRINTED) console.log(`  and ${problems.length - MAX_PRINTED} more`)
  }
})
