import { percent, subtract, sum } from './decimal.js'
import { element, svg } from './dom.js'
import { amount } from './figures.js'
import { formatAmount, formatExact, formatPercent, NONE } from './format.js'
import { nameOf } from './tokens.js'

/** What there is of a token, and where it is. */

const PARTS = [
  ['team', 'Team package', 'Locked until the price unlocks it; not circulating', all => all.teamPerformancePackage],
  ['amm', 'DAO pool', 'In the DAO’s own spot pool', all => all.protocolAmmLiquidity],
  ['external', 'External pool', 'The protocol’s position in the external pool', all => all.externalLpLiquidity],
  ['rest', 'Everywhere else', 'Treasury, holders and other pools', restOf]
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

const drawLegend = parts => element('ul', { class: 'legend' }, ...parts.map(({ kind, name, note, held, share }) =>
  element('li', {},
    element('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
    element('span', { class: 'part' }, name, element('small', {}, note)),
    element('span', { class: 'share' }, formatPercent(share), held === null
      ? element('small', {}, NONE)
      : element('small', { title: formatExact(held) }, formatAmount(held))))))

/** The supply as figures, a bar and a legend. */
export function drawSupply (supply, pool) {
  const parts = PARTS.map(([kind, name, note, of]) => {
    const held = of(supply)
    return { kind, name, note, held, share: held === null ? null : percent(held, supply.totalSupply, 6) }
  })
  return [
    element('dl', { class: 'facts two' },
      amount('Total', 'supply.totalSupply', supply.totalSupply, nameOf(pool)),
      amount('Circulating', 'supply.circulatingSupply', supply.circulatingSupply, nameOf(pool))),
    drawBar(parts), drawLegend(parts)
  ]
}
