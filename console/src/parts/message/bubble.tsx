import { formatSegmentsOrMms } from '../../data/text/text-size.ts'
import './bubble.css'

/** Previews a text as it will arrive, with its number of segments. `who`: the recipient, or ''. */
export const Bubble = ({
  who,
  body,
  segments,
}: {
  who: string
  body: string
  segments: number
}) => (
  <figure class="bubble">
    {who && <figcaption>{who}</figcaption>}
    <p>{body}</p>
    <span class="muted">{formatSegmentsOrMms(segments)}</span>
  </figure>
)
