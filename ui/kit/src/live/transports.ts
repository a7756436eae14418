import { base } from '../router/base.ts';

export interface TransportEvents {
  open: () => void;
  message: (type: string, data: unknown) => void;
  close: () => void;
}

export interface Connection {
  /** Server-sent events are only delivered for types that were registered. */
  listen: (type: string) => void;
  close: () => void;
}

export type Transport = (events: TransportEvents) => Connection;

/** Server-sent events. A lost stream is reported once; `Live` decides when to reconnect. */
export const serverEvents =
  (path = 'api/events'): Transport =>
  (events) => {
    const source = new EventSource(base + path);
    const pass = (event: MessageEvent<string>) => events.message(event.type, read(event.data));
    source.onopen = events.open;
    source.onerror = () => {
      source.close();
      events.close();
    };
    return {
      listen: (type) => source.addEventListener(type, pass),
      close: () => source.close(),
    };
  };

/** A WebSocket whose messages contain their type. */
export const webSocket =
  (path = 'api/ws'): Transport =>
  (events) => {
    const address = new URL(base + path, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    socket.onopen = events.open;
    socket.onclose = events.close;
    socket.onmessage = (event: MessageEvent<string>) => {
      const data = read(event.data);
      if (hasType(data)) events.message(data.type, data);
    };
    return {
      listen: () => undefined,
      close: () => {
        socket.onclose = null;
        socket.close();
      },
    };
  };

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function hasType(data: unknown): data is { type: string } {
  return (
    typeof data === 'object' && data !== null && 'type' in data && typeof data.type === 'string'
  );
}
