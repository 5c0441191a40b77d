// The app's work hours: MessagesSettings.isInWorkHours.

/** `HH:mm` by the clock of a zone. If `start` is later than `end`, the hours go over midnight. */
export interface WorkHours {
  readonly start: string
  readonly end: string
  readonly zone: string
}

/** Whether the app sends at this time. Equal `start` and `end` mean always. */
export function isInWorkHours(atMs: number, { start, end, zone }: WorkHours): boolean {
  const now = new Date(atMs).toLocaleTimeString('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
  })
  if (start === end) return true
  return start < end ? start <= now && now < end : start <= now || now < end
}
