import { t } from '../language/words.ts'

/** The name of a campaign, or the beginning of its text if it has none. */
export function makeTitle({ name, body }: { readonly name: string; readonly body: string }): string {
  if (name) return name
  const [line = ''] = body.trim().split('\n')
  return line.length > 40 ? `${line.slice(0, 39)}…` : line || t('Campaign')
}
