/** Numbers of all advisory locks, unlikely to be another program's. A second key is the hash of an id. */
export const LOCKS = {
  /** Nodes that start together migrate one after the other; catalog changes and restores wait for it. */
  migration: 7_367_001,
  /** With a device: held by a claim of a device that has limits. */
  claim: 7_367_002,
  sweep: 7_367_003,
  retention: 7_367_005,
  /** Nodes lease webhook calls one after the other, so that limits apply across nodes. */
  webhookLease: 7_367_006,
  /** With a user: held while a webhook is created, so that a user's maximum is kept. */
  webhookCount: 7_367_020,
  /** With a user: held while a hook is created, so that a user's maximum is kept. */
  hookCount: 7_367_027,
  /** With a user and a number: automatic answers to it go one after the other. */
  answer: 7_367_028,
  /** With a user: inbox refreshes of a user go one after the other, so that they count each other. */
  inboxRefresh: 7_367_022,
  indexBuild: 7_367_021,
  /** Held, shared, by each process that uses an embedded Postgres: the last one stops it. */
  embedded: 7_367_025,
  /** With a user: held while a file is stored, so that a user's maximum is kept. */
  files: 7_367_029,
  queueCheck: 7_367_026,
} as const
