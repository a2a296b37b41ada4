/** One event of a stream. */
export interface SentEvent<Data> {
  event: string;
  data: Data;
}

/** Opens a stream of events; `next` returns null after its end, and throws if it is cut off. */
export async function openEvents<Data>(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const comments: string[] = [];
  async function next(): Promise<SentEvent<Data> | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const part = text.slice(0, end);
        text = text.slice(end + 2);
        if (part.startsWith(':')) comments.push(part);
        else {
          const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(part)!;
          return { event: event!, data: JSON.parse(data!) as Data };
        }
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += value;
    }
  }
  return {
    response,
    comments,
    next,
    async all(): Promise<SentEvent<Data>[]> {
      const events: SentEvent<Data>[] = [];
      for (let event = await next(); event !== null; event = await next()) events.push(event);
      return events;
    },
    close: () => reader.cancel(),
  };
}
