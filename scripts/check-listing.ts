/**
 * Walks a running service by an aggregator's rules and prints what a reviewer would refuse:
 * `npm run check-listing -- --url http://localhost:3000 --form dexscreener`; without `--form` by all of them. Exits 1 where there is something.
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkForm, type Form, FORMS } from './listing/check.js'
import type { Answer } from './listing/rules.js'

const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://127.0.0.1:3000' }, form: { type: 'string' } } })
const forms = values.form === undefined ? FORMS : FORMS.filter(form => form === values.form)
if (forms.length === 0) {
  console.error(`--form is one of ${FORMS.join(', ')}`)
  process.exit(2)
}

/** The service's limit is waited for, as a crawler would. */
async function get (path: string): Promise<Answer> {
  for (;;) {
    const response = await fetch(new URL(path, values.url)).catch((error: Error) => {
      console.error(`${values.url} can't be asked: ${(error.cause as Error | undefined)?.message ?? error.message}`)
      process.exit(2)
    })
    if (response.status !== 429) return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() }
    await response.body?.cancel()
    await setTimeout(1000 * (Number(response.headers.get('retry-after')) || 1))
  }
}

/** Most problems of one form that are printed. */
const MAX_PRINTED = 50
let isRefused = false
for (const form of forms as readonly Form[]) {
  const problems = await checkForm(form, get)
  isRefused ||= problems.length > 0
  console.log(`${form}: ${problems.length === 0 ? 'nothing to refuse' : `${problems.length} problems`}`)
  for (const problem of problems.slice(0, MAX_PRINTED)) console.log(`  ${problem}`)
}
process.exitCode = isRefused ? 1 : 0
