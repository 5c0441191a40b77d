import type { TemporaryPostgres } from '../support/postgres.ts'

/** What every scenario gets. */
export interface Stage {
  readonly postgres: TemporaryPostgres
  readonly basePort: number
  /** How often the fault of the scenario strikes. */
  readonly rounds: number
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
  run(stage: Stage): Promise<Outcome>
}
