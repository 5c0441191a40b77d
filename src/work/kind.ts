/** A job as its kind sees it. */
export interface Job {
  readonly id: string
  /** The account whose work it is; '' for the system's. */
  readonly holder: string
  /** What the job is about. */
  readonly key: string
  readonly payload: unknown
  /** Runs in a row that failed, with this one. */
  readonly attempts: number
  /** Time since the job was added. */
  readonly ageMs: number
}

/** The job is not done and did not fail either: it runs again after this time. */
export interface Again {
  readonly inSeconds: number
}

/** A kind of background work. */
export interface JobKind {
  readonly name: string
  /** Jobs at a time on each node. */
  readonly places: number
  /** Of these, jobs of one holder. */
  readonly placesOfHolder: number
  /** A run that takes longer has failed. */
  readonly timeoutSeconds: number
  /** Failed runs in a row after which the job is dead. */
  readonly maxAttempts: number
  /**
   * Runs a job. A job that throws is tried again later. `signal` aborts at the time limit and when the server
   * stops. After a crash a job runs twice.
   */
  run(job: Job, signal: AbortSignal): Promise<Again | undefined>
}
