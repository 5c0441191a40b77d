/** Keys of all advisory locks. Locks per user or device have a hash of that id as their second key. */
export const LOCKS = {
  /** Migrations, changes of collections and restores hold it, so only one of them runs at a time. */
  migration: 7_367_001,
  /** Per device: held while a device with a limit fetches messages, to enforce that limit. */
  claim: 7_367_002,
  sweep: 7_367_003,
  retention: 7_367_005,
  /** Held while old records are ended that are found by person. */
  retentionByPerson: 7_367_033,
  /** Held while a node picks webhook calls to send, because their limits apply to all nodes together. */
  webhookLease: 7_367_006,
  /** Per user: held while a webhook is created, to enforce the user's maximum. */
  webhookCount: 7_367_020,
  /** Per user: held while a hook is created, to enforce the user's maximum. */
  hookCount: 7_367_027,
  /** Per user: held while a label is created, to enforce the user's maximum. */
  labelCount: 7_367_035,
  /**
   * Per table and user: held while a record gets a name, so that no two get the same. The triggers of
   * contact_groups name this key.
   */
  names: 7_367_060,
  /** Per user: held while a view of the inbox is created, to enforce the user's maximum. */
  viewCount: 7_367_036,
  /** Held while a row of `directory_roles` is created, to enforce the maximum of rows. */
  directoryRoles: 7_367_042,
  /** Per user: held while a carrier is added, to enforce the user's maximum. */
  carrierCount: 7_367_032,
  /** Per user and phone number: held while texts of the number are answered automatically. */
  answer: 7_367_028,
  /** Per user: held while an inbox refresh queues webhook calls, to enforce their maximum. */
  inboxRefresh: 7_367_022,
  indexBuild: 7_367_021,
  /** Shared by all processes that use an embedded Postgres. The last one to release it stops Postgres. */
  embedded: 7_367_025,
  /** Per user: held while a file is stored, to enforce the user's maximum of bytes. */
  files: 7_367_029,
  queueCheck: 7_367_026,
  auditEntries: 7_367_040,
  /** Held while all messages are counted. */
  totals: 7_367_030,
  /** Per user: held by an export of a person, and by the end of an erasure, so that they do not overlap. */
  person: 7_367_031,
  /** Per user: held while an export or erasure is requested, to enforce the user's maximum. */
  personRequests: 7_367_034,
  /** Per user: held while a field of contacts is created or renamed, so that no two get one name. */
  contactFields: 7_367_039,
} as const
