/**
 * Walks a running service by an aggregator's rules, or by all of them, and prints what a reviewer would refuse. Exits 1
 * where there is something.
 */
import { setTimeout } from 'node:timers/promises'
import {
  type Answer, ask, createProgress, httpUrl, readCommandLine, redraw, runScript, UsageError, wholeNumber
} from './command-line.js'
import { checkForm, type Form, FORMS } from './listing/check.js'

/** Most problems of one form that are printed. */
const MAX_PRINTED = 50

const { values } = readCommandLine(
  `npm run check-listing -- [--url http://127.0.0.1:3000] [--form ${FORMS.join('|')}] [--pools 5]`,
  {
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    form: { type: 'string' },
    pools: { type: 'string', default: '5' }
  }
)

const progress = createProgress(process.stderr)
let read = 0

const asking = (form: Form) => async (path: string, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await ask(new URL(path, values.url), { headers },
    seconds => progress(`${form}: ${read} answers, the limit of requests takes ${seconds} s`))
  progress(`${form}: ${++read} answers, ${path}`)
  return answer
}

await runScript(async () => {
  httpUrl('url', values.url)
  const pools = wholeNumber('pools', values.pools, 1, 10_000)
  const forms = FORMS.filter(form => values.form === undefined || form === values.form)
  if (forms.length === 0) throw new UsageError(`--form ${values.form}: one of ${FORMS.join(', ')}`)
  let refused = 0
  for (const form of forms) {
    read = 0
    const { problems, compared } = await checkForm(form, asking(form), { pause: setTimeout, pools })
    const found = problems.length === 0 ? 'nothing to refuse' : `${problems.length} problems`
    redraw(process.stderr, '')
    console.log(`${form}: ${found} in ${read} answers`)
    for (const what of compared) console.log(`  compared: ${what}`)
    for (const problem of problems.slice(0, MAX_PRINTED)) console.log(`  ${problem}`)
    if (problems.length > MAX_PRINTED) console.log(`  and ${problems.length - MAX_PRINTED} more`)
    if (problems.length > 0) refused++
  }
  if (forms.length > 1) {
    console.log(refused === 0 ? `all ${forms.length} pass` : `${refused} of ${forms.length} would be refused`)
  }
  if (refused > 0) process.exitCode = 1
})
