// What versions of the app do differently: MessagesService.enqueueMessage of each.

/** What the app's sender does beside `waiting` texts when one more arrives. */
export interface Arrival {
  /** Whether texts wait, and all of them have a `scheduleAt`. */
  readonly areAllScheduled: boolean
  readonly isExpedited: boolean
}

/** Whether a text that arrives starts the sender anew, by the first version that decides so. */
const RESTARTS: readonly (readonly [since: string, restarts: (arrival: Arrival) => boolean])[] = [
  ['1.74.1', ({ areAllScheduled, isExpedited }) => areAllScheduled || isExpedited],
  ['1.70.4', () => true],
  ['0', ({ areAllScheduled, isExpedited }) => !areAllScheduled || isExpedited],
]

export const restartsSender = (version: string, arrival: Arrival): boolean =>
  RESTARTS.find(([since]) => isSince(version, since))![1](arrival)

/** Whether a version is `since` or newer. */
export const isSince = (version: string, since: string): boolean =>
  version.localeCompare(since, 'en', { numeric: true }) >= 0
