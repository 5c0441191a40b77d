export const HOUR_MS = 3_600_000
const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS

/** An instant that is so many hours from the first use, as a client writes it. */
export const isoAtHour = (hours: number) => new Date(start + hours * HOUR_MS).toISOString()

/** The same as it is stored. */
export const storedAtHour = (hours: number) => isoAtHour(hours).replace('T', ' ')
