/** When a modem or phone says that a text arrived. The current time if it says no valid date. */
export function parseReceivedAt(text: string): Date {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? new Date() : at
}
