import { segmentsText } from '../../data/text/text-size.ts'
import './bubble.css'

/** A text as it will arrive, and its segments. `who`: the recipient, or ''. */
export const Bubble = ({ who, body, segments }: { who: string; body: string; segments: number }) => (
  <figure class="bubble">
    {who && <figcaption>{who}</figcaption>}
    <p>{body}</p>
    <span class="muted">{segmentsText(segments)}</span>
  </figure>
)
