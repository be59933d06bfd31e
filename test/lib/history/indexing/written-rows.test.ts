import { test } from 'tap'
import { EMPTY_CANDLE } from '../../../../lib/history/rules/candles.js'
import { createWrittenRows } from '../../../../lib/history/indexing/written-rows.js'
import type { MinuteRow, WholeDay } from '../../../../lib/history/rules/types.js'
import type { Store } from '../../../../lib/history/store/store.js'

const day = (dao: string, day: number, hours: string | null = '0 x'): WholeDay => ({ ...EMPTY_CANDLE, dao, day, hours })
const minutes = (dao: string, start: number, candles = '0 x'): MinuteRow => ({ dao, start, candles })

function stored () {
  const asked: string[] = []
  const rows = { days: [day('A', 1, 'stored')], minutes: [minutes('A', 1, 'stored')] }
  const written = createWrittenRows({
    days: async (keys: ReadonlyArray<{ dao: string, day: number }>) => {
      asked.push(...keys.map(({ dao, day }) => `day ${dao}${day}`))
      return rows.days.filter(row => keys.some(({ dao, day }) => row.dao === dao && row.day === day))
    },
    minutes: async (keys: ReadonlyArray<{ dao: string, start: number }>) => {
      asked.push(...keys.map(({ dao, start }) => `minutes ${dao}${start}`))
      return rows.minutes.filter(row => keys.some(({ dao, start }) => row.dao === dao && row.start === start))
    }
  } as unknown as Store)
  return { written, asked: () => asked.splice(0) }
}

test('rows that have been written are not read again, others are, each in the place of its key', async t => {
  const { written, asked } = stored()
  t.same(await written.days([{ dao: 'B', day: 1 }, { dao: 'A', day: 1 }]), [undefined, day('A', 1, 'stored')])
  t.same(asked(), ['day B1', 'day A1'])
  await written.days([{ dao: 'A', day: 1 }])
  t.same(asked(), ['day A1'], 'what was read alone is no row that this process has written')
  written.note([day('B', 1), day('A', 2)], [minutes('A', 1, '0 y')])
  t.same(await written.days([{ dao: 'A', day: 1 }, { dao: 'A', day: 2 }, { dao: 'B', day: 1 }]), [day('A', 1, 'stored'), day('A', 2), day('B', 1)])
  t.same(asked(), ['day A1'])
  t.same(await written.minutes([{ dao: 'A', start: 1 }]), [minutes('A', 1, '0 y')])
  t.same(asked(), [], 'a day and a row of minutes of one number are two')
  written.note([day('B', 1, 'newer')], [])
  t.same(await written.days([{ dao: 'B', day: 1 }]), [day('B', 1, 'newer')])
})

test('what may be another is read again', async t => {
  const { written, asked } = stored()
  written.note([day('A', 1, 'uncertain')], [minutes('A', 1, 'uncertain')])
  written.forget()
  t.same(await written.days([{ dao: 'A', day: 1 }]), [day('A', 1, 'stored')])
  t.same(await written.minutes([{ dao: 'A', start: 1 }]), [minutes('A', 1, 'stored')])
  t.same(asked(), ['day A1', 'minutes A1'])
})

test('long rows push out those that were used longest ago', async t => {
  const { written, asked } = stored()
  written.note([day('B', 0, null), day('B', 1, 'x'.repeat(400_000))], [minutes('B', 0, 'x'.repeat(400_000))])
  t.same((await written.days([{ dao: 'B', day: 0 }])).length, 1)
  t.same(asked(), [])
  written.note([], [minutes('B', 1, 'x'.repeat(400_000))])
  await written.days([{ dao: 'B', day: 0 }, { dao: 'B', day: 1 }])
  await written.minutes([{ dao: 'B', start: 0 }, { dao: 'B', start: 1 }])
  t.same(asked(), ['day B1'])
})
