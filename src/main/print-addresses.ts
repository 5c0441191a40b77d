import { renderUnicodeCompact } from 'uqr'
import { type Config, isLoopback } from '../platform/config.ts'
import { printLine } from './command-line.ts'
import { advisePhoneAccess } from './doctor-network.ts'

/** Prints where phones reach the server, or why they do not. */
export function printAddresses(config: Config): void {
  const { urls, publicUrl } = config
  if (isLoopback(publicUrl)) {
    printLine(`Only this computer reaches it. ${advisePhoneAccess(config)}`)
    return
  }
  for (const url of urls) printLine(`Phones reach it at ${url}`)
  const page = `${publicUrl}/#/devices?add=1`
  printLine(`Add a phone: ${page}`)
  if (process.stdout.isTTY) printLine(renderUnicodeCompact(page))
}
