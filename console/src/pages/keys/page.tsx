import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** API keys. */
export const Page = () => (
  <Frame title="API keys">
    <Empty icon="keys" title="No keys yet">
      A key lets a program of yours send.
    </Empty>
  </Frame>
)
