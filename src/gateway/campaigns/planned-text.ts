import type { ChosenLine } from '../messages/send/sending-permission.ts'
import type { Text } from '../messages/send/write-text-bodies.ts'

/** Maximum texts to write at once: 1,000 long ones block the event loop for 20 ms. */
export const TEXTS_AT_ONCE = 1_000

/** By what a campaign leaves. `files`: how many each message has; `orLink`: as in Media. */
export interface PlannedWay extends ChosenLine {
  readonly requiresConsent: boolean
  readonly files: number
  readonly orLink: boolean
}

/** A text without its words: 20,000 long ones would take 60 MB. */
export interface TextSize extends Pick<Text, 'to' | 'segments'> {
  /** Its length as it leaves. */
  readonly units: number
}

export const measureText = ({ to, segments, units }: Text): TextSize => ({ to, segments, units })

export const sumSegments = (sizes: readonly TextSize[]) =>
  sizes.reduce((sum, { segments }) => sum + segments, 0)
