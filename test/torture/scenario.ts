/** What of the attacks of hostile clients is played. */
export interface HostileOptions {
  /** A few attacks for a short time, instead of all. */
  readonly isShort: boolean
  /** How long each attack takes, instead of the default. */
  readonly seconds?: number
  /** Only attacks with this in their names. */
  readonly attack?: string
  /** Megabytes of the machine, as the server is told; above it, the server is killed. */
  readonly memory?: number
}

/** How long the soak goes on, and on what. */
export interface SoakOptions {
  readonly minutes: number
  readonly servers: number
  /** On an installed Postgres, instead of the embedded one. */
  readonly isOnPostgres: boolean
}

/** What every scenario gets. */
export interface ScenarioContext {
  readonly basePort: number
  /** How often the fault of the scenario strikes. */
  readonly rounds: number
  readonly hostile: HostileOptions
  readonly soak: SoakOptions
  say(line: string): void
}

/** What came of a scenario. No faults: it held. */
export interface Outcome {
  readonly faults: readonly string[]
  readonly figures: string
}

/** One kind of misfortune. */
export interface Scenario {
  readonly name: string
  readonly what: string
  /** Rounds when nobody says how many. */
  readonly rounds: number
  run(context: ScenarioContext): Promise<Outcome>
  /** Ends what a run has left for the next scenario. */
  close?(): Promise<void>
}
