import type { ArgsDef, ParsedArgs } from 'citty'
import type { Driver } from '../driver-interface.ts'

export type Say = (line: string) => void

export interface DriverKind {
  readonly options: ArgsDef
  readonly platform: 'simulator' | 'android' | 'modem' | 'carrier'
  /** A program that the driver uses, and the arguments by which it prints its version. */
  readonly version?: readonly [command: string, ...args: string[]]
  /**
   * Makes a driver. `stateFile`: the device's state file, whose name may begin the names of the driver's own
   * files. Throws a UserError for an invalid option.
   */
  readonly make: (given: never, stateFile: string, say: Say) => Driver
  /** Checks the connection without sending, for `--check`. Throws a UserError if it fails. */
  readonly check?: (given: never, say: Say) => Promise<void>
}

export const defineDriverKind = <const Options extends ArgsDef>(
  kind: Omit<DriverKind, 'options' | 'make' | 'check'> & {
    readonly options: Options
    readonly make: (given: ParsedArgs<Options>, stateFile: string, say: Say) => Driver
    readonly check?: (given: ParsedArgs<Options>, say: Say) => Promise<void>
  },
): DriverKind => kind
