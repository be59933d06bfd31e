/** Spans of chain time and of UTC days, in seconds. */

export const MINUTE = 60
export const HOUR = 3_600
export const DAY = 86_400
/** The last second of the year 9999: beyond, there are no dates to count by. */
export const MAX_TIME = 253_402_300_799

/** The UTC day of a Unix second, counted from 1970-01-01. */
export const dayOf = (seconds: number) => Math.floor(seconds / DAY)
/** ISO 8601 of a Unix second. */
export const timeText = (seconds: number) => new Date(seconds * 1000).toISOString()
/** The day of `YYYY-MM-DD`. */
export const dayOfDate = (date: string) => Date.parse(date) / 1000 / DAY
/** `YYYY-MM-DD` of a day counted from 1970-01-01. */
export const dateOf = (day: number) => timeText(day * DAY).slice(0, 10)
