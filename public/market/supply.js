import { percent, subtract, sum } from './decimal.js'
import { element, svg } from './dom.js'
import { fact } from './figures.js'
import { formatAmount, formatExact, formatPercent, NONE } from './format.js'
import { nameOf } from './tokens.js'

/** What there is of a token, and where it is. */

const PARTS = [
  {
    kind: 'team',
    name: 'Team package',
    note: 'Locked until the price unlocks it; not circulating',
    of: supply => supply.teamPerformancePackage
  },
  {
    kind: 'amm', name: 'DAO pool', note: 'In the DAO’s own spot pool', of: supply => supply.protocolAmmLiquidity
  },
  {
    kind: 'external',
    name: 'External pool',
    note: 'The protocol’s position in the external pool',
    of: supply => supply.externalLpLiquidity
  },
  { kind: 'rest', name: 'Everywhere else', note: 'Treasury, holders and other pools', of: restOf }
]

/** What is in none of the named places; null where those hold more than there is. */
function restOf ({ totalSupply, teamPerformancePackage, protocolAmmLiquidity, externalLpLiquidity }) {
  const rest = subtract(totalSupply, sum([teamPerformancePackage, protocolAmmLiquidity, externalLpLiquidity]))
  return rest === null || rest.startsWith('-') ? null : rest
}

function drawBar (parts) {
  const label = parts.map(({ name, share }) => `${name} ${formatPercent(share)}`).join(', ')
  let from = '0'
  const segments = parts.filter(({ share }) => share !== null && !/^0(\.0*)?$/.test(share)).map(({ kind, share }) => {
    const segment = svg('rect', { class: kind, x: `${from}%`, width: `${share}%`, y: 0, height: '100%' })
    from = sum([from, share])
    return segment
  })
  return svg('svg', { class: 'supply-bar', role: 'img', 'aria-label': `Supply: ${label}` }, ...segments)
}

const drawLegend = parts => element('ul', { class: 'legend' }, ...parts.map(({ kind, name, note, amount, share }) =>
  element('li', {},
    element('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
    element('span', { class: 'part' }, name, element('small', {}, note)),
    element('span', { class: 'share' }, formatPercent(share), element(
      'small',
      { title: amount === null ? undefined : formatExact(amount) },
      amount === null ? NONE : formatAmount(amount)
    )))))

/** The supply as figures, a bar and a legend. */
export function drawSupply (supply, pool) {
  const parts = PARTS.map(part => {
    const amount = part.of(supply)
    return { ...part, amount, share: amount === null ? null : percent(amount, supply.totalSupply, 6) }
  })
  return [
    element('dl', { class: 'facts two' },
      fact(
        'Total',
        'supply.totalSupply',
        formatAmount(supply.totalSupply),
        { exact: formatExact(supply.totalSupply), units: nameOf(pool) }
      ),
      fact(
        'Circulating',
        'supply.circulatingSupply',
        formatAmount(supply.circulatingSupply),
        { exact: formatExact(supply.circulatingSupply), units: nameOf(pool) }
      )),
    drawBar(parts), drawLegend(parts)
  ]
}
