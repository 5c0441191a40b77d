import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Messages. */
export const Page = () => (
  <Frame title="Messages">
    <Empty icon="messages" title="No messages yet">
      Messages stand here as soon as the first one is sent.
    </Empty>
  </Frame>
)
