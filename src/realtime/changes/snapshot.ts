/** The transactions that a statement sees: Postgres' `pg_snapshot`. */
export interface Snapshot {
  /** All before this one had ended. */
  readonly xmin: number
  /** This one and all after it had not begun. */
  readonly xmax: number
  /** Those between that were still running. */
  readonly running: ReadonlySet<number>
}

/** Reads `xmin:xmax:running,running,…`. */
export function readSnapshot(text: string): Snapshot {
  const [xmin, xmax, running] = text.split(':')
  return {
    xmin: Number(xmin),
    xmax: Number(xmax),
    running: new Set(running ? running.split(',').map(Number) : []),
  }
}

/** Whether the snapshot includes a (committed) transaction. */
export const sees = ({ xmin, xmax, running }: Snapshot, xid: number): boolean =>
  xid < xmin || (xid < xmax && !running.has(xid))
