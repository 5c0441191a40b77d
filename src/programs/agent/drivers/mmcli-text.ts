import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProgramResult, parseOutput, runProgram } from './run-program.ts'

export const MMCLI = 'mmcli'
/** Maximum time of a call that only ModemManager answers. */
export const CALL_MS = 30_000
const MODEM_MANAGER = 'org.freedesktop.ModemManager1'

/**
 * Creates a text in a modem, without sending it. `takesFile`: whether mmcli reads the body from a file, as it
 * does from version 1.22 on. The output has the path of the text.
 */
export function createText(modem: string, to: string, body: string, takesFile: boolean) {
  const option = `--messaging-create-sms=number=${to},delivery-report-request=yes`
  if (takesFile) return createTextFromFile(['-m', modem, option], body)
  // mmcli ends a value at the quotation mark that began it, and has no escape
  const quote = ['"', "'"].find((mark) => !body.includes(mark))
  if (!quote) return createTextByDbus(modem, to, body)
  return runProgram(MMCLI, ['-m', modem, `${option},text=${quote}${body}${quote}`], CALL_MS)
}

async function createTextFromFile(args: readonly string[], body: string): Promise<ProgramResult> {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'pocketsms-agent-'))
    const file = join(folder, 'text')
    writeFileSync(file, body, { mode: 0o600 })
    return await runProgram(MMCLI, [...args, `--messaging-create-sms-with-text=${file}`], CALL_MS)
  } catch (error) {
    return { code: null, output: '', errors: (error as Error).message } // the disk is full
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a text that has both kinds of quotation marks, by systemd's busctl. */
async function createTextByDbus(modem: string, to: string, body: string): Promise<ProgramResult> {
  const { output } = await runProgram(MMCLI, ['-m', modem, '-J'], CALL_MS)
  const path = parseOutput<{ modem?: { 'dbus-path'?: string } }>(output)?.modem?.['dbus-path'] ?? ''
  const call = [
    '--system',
    '--',
    'call',
    MODEM_MANAGER,
    path,
    `${MODEM_MANAGER}.Modem.Messaging`,
    'Create',
  ]
  const text = ['number', 's', to, 'text', 's', body, 'delivery-report-request', 'b', 'true']
  return runProgram('busctl', [...call, 'a{sv}', '3', ...text], CALL_MS)
}
