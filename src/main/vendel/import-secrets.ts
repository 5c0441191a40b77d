import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { readSqliteText, type StoredRow } from '../../engine/import/open-pocketbase.ts'
import { UserError } from '../../platform/api-errors.ts'

/** Columns that Vendel encrypts, in whichever table they are. */
const SEALED = ['body', 'secret_key']
const PREFIX = /^f?enc:/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Decrypts a text; undefined if that fails. Vendel: services/crypto.go, services/bodyencrypt.go */
export type Open = (sealed: string) => string | undefined

/** Returns the function that decrypts. `key`: WEBHOOK_ENCRYPTION_KEY of Vendel's environment. */
export function makeDecrypter(key: string): Open {
  const bodyKey = createHmac('sha256', key).update('sms-body').digest()
  const secretKey = createHash('sha256').update(key).digest()
  return (sealed) => {
    const bytes = Buffer.from(sealed.replace(PREFIX, ''), 'base64url')
    const [nonce, content] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, -TAG_BYTES),
    ]
    try {
      const cipherKey = sealed.startsWith('fenc:') ? bodyKey : secretKey
      const cipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, { authTagLength: TAG_BYTES })
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([cipher.update(content), cipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
}

export const listSealedColumns = (row: StoredRow): string[] =>
  SEALED.filter((column) => PREFIX.test(readSqliteText(row[column])))

/** Throws a UserError if rows have encrypted texts and the key opens none of them. */
export function requireKey(rows: Iterable<StoredRow>, open: Open): void {
  let sealed = 0
  for (const row of rows) {
    for (const column of listSealedColumns(row)) {
      if (open(readSqliteText(row[column])) !== undefined) return
      sealed++
    }
  }
  if (sealed === 0) return
  throw new UserError(
    `--vendel-key opens none of ${sealed} encrypted texts. It is WEBHOOK_ENCRYPTION_KEY of Vendel's environment.`,
  )
}
