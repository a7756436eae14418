import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PairingCode } from '../src/pair/code.svelte.ts';
import { filesFor, systems, wayFor } from '../src/pair/systems.ts';

const server = vi.hoisted(() => ({
  asked: [] as string[],
  answers: [] as ((data: unknown) => void)[],
}));

vi.mock('../src/service.ts', () => ({
  api: {
    POST: (path: string) => {
      server.asked.push(path);
      return new Promise((done) => server.answers.push((data) => done({ data })));
    },
  },
}));

const made = (code: string) => ({ code, expiresAt: Date.now() / 1000 + 600 });

async function answer(data: unknown): Promise<void> {
  server.answers.shift()!(data);
  await vi.advanceTimersByTimeAsync(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  server.asked = [];
  server.answers = [];
});
afterEach(() => void vi.useRealTimers());

it('stops polling if the dialog was closed before the code arrived', async () => {
  const code = new PairingCode();
  void code.make();
  code.stop();
  await answer(made('one'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.asked).toEqual(['/api/enrollments']);
});

it('ignores the response for an earlier code', async () => {
  const code = new PairingCode();
  void code.make();
  await answer(made('one'));
  void code.look();
  void code.make();
  await answer({ state: 'used', deviceId: 7 });
  await answer(made('two'));
  expect([code.enrollment?.code, code.deviceId]).toEqual(['two', undefined]);
  code.stop();
});

it('offers each system what the server has for it', () => {
  const file = { platform: 'linux-amd64', python: '3.13', sha256: '', size: 1 };
  const program = { platform: 'macos-arm64', sha256: '', cached: true };
  const offered = { server: '', agent: file, programs: [program], engineVersion: '', engines: [] };
  const ways = systems.map(({ value }) => wayFor(value, offered));
  expect(ways).toEqual(['pythonSent', 'program', undefined]);
  const onWindows = { ...offered, agent: { ...file, platform: 'windows-amd64' } };
  expect(wayFor('windows', onWindows)).toBe('python');
  expect(filesFor('macos', offered)).toEqual([program]);
});
