/** What streams may use of this process. An owner is an account, or the network address of guests. */
export interface Budgets {
  /** Bytes of subscriptions of one owner, with what is compiled of them: see `weightOf`. */
  readonly ownerBytes: number
  /** The same of all owners together. */
  readonly totalBytes: number
  /** Distinct shapes of filters and expands that an account, or an address, may be subscribed with. */
  readonly accountShapes: number
  readonly addressShapes: number
  /** Cost of subscribe requests that an owner may cause at once, and each second: see `costOf`. */
  readonly burst: number
  readonly perSecond: number
  /** Changes, and their bytes, that may wait for the filters of one owner. */
  readonly waitingChanges: number
  readonly waitingBytes: number
  /**
   * Bytes of changes that may wait for filters of all owners: beyond it only those who are up to date get
   * more.
   */
  readonly waitingTotalBytes: number
  /** Age of a change that is too old to be judged: what it changed may be cleaned up. */
  readonly waitingMs: number
  /** Bytes of events that all clients together have not read yet. */
  readonly unreadBytes: number
}

const MIB = 1 << 20

export const BUDGETS: Budgets = {
  ownerBytes: 8 * MIB,
  totalBytes: 64 * MIB,
  accountShapes: 100,
  addressShapes: 50,
  burst: 100_000,
  perSecond: 2_000,
  waitingChanges: 1_000,
  waitingBytes: 8 * MIB,
  waitingTotalBytes: 64 * MIB,
  waitingMs: 20_000,
  unreadBytes: 64 * MIB,
}
