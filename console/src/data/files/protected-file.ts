import type { RecordModel } from 'pocketbase'
import { pb } from '../client.ts'

/** How long links share a token. Tokens are valid for three minutes, as in PocketBase. */
const SHARED_MS = 60_000
let known: { readonly account: string; readonly untilMs: number; readonly token: Promise<string> } | undefined

/** A token for links to protected files. */
export function fileToken(): Promise<string> {
  const account = pb.authStore.token
  if (known?.account === account && Date.now() < known.untilMs) return known.token
  const token = pb.files.getToken()
  known = { account, untilMs: Date.now() + SHARED_MS, token }
  token.catch(() => {
    known = undefined
  })
  return token
}

export const fileUrl = (
  record: RecordModel,
  name: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): string => pb.files.getURL(record, name, { token, ...more })
