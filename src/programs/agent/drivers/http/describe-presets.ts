import { findPreset, PRESET_NAMES } from './presets.ts'

/** The parts of a carrier's account that a person needs to add it. '' for each part that it lacks. */
interface DescribedPreset {
  readonly name: string
  /** The carrier's address; '' if each account has its own. */
  readonly url: string
  /** The carrier's own names of its credentials. */
  readonly user: string
  readonly secret: string
  readonly webhook_secret: string
  readonly values: string[]
  readonly receipts: boolean
  readonly incoming: boolean
}

/** Describes each preset but `custom`. A credential that a preset uses and does not name has a plain name. */
export const describePresets = (): DescribedPreset[] =>
  PRESET_NAMES.flatMap((name) => {
    const preset = findPreset(name)
    if (!preset) return []
    const { url, needs, credentials, send, receipt, incoming } = preset
    const templates = JSON.stringify(send)
    const uses = (...tags: readonly string[]) =>
      tags.some((tag) => templates.includes(`{{${tag}}}`))
    return {
      name,
      url,
      user: credentials.user ?? (uses('user', 'basic') ? 'User' : ''),
      secret: credentials.secret ?? (uses('secret', 'basic') ? 'Secret' : ''),
      webhook_secret: credentials.webhook_secret ?? '',
      values: [...needs],
      receipts: receipt.length > 0,
      incoming: incoming.length > 0,
    }
  })
