import { vi } from 'vitest';

// Test files share a worker. Each loads its modules again, so that its mocks apply.
vi.resetModules();
