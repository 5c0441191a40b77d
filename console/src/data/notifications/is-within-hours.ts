/** Whether now is within hours such as `09:00` to `18:00` of a time zone; true without hours. */
export function isWithinHours(from: string, to: string, timeZone: string, now: Date): boolean {
  if (from === '' || to === '') return true
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  const time = format.format(now)
  return from < to ? from <= time && time < to : from <= time || time < to
}
