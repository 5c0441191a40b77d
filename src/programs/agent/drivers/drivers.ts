import type { DriverKind } from './driver-kind.ts'
import { GAMMU } from './gammu.ts'
import { HTTP } from './http/http-driver-kind.ts'
import { MODEM_MANAGER } from './modem-manager.ts'
import { SIMULATOR } from './simulator.ts'
import { SMPP } from './smpp/driver.ts'
import { TERMUX } from './termux.ts'

export const DRIVERS: Readonly<Record<string, DriverKind>> = {
  simulator: SIMULATOR,
  gammu: GAMMU,
  modemmanager: MODEM_MANAGER,
  termux: TERMUX,
  smpp: SMPP,
  http: HTTP,
}
