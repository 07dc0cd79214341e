// A map, closures, and enough garbage for a collection.
const counts = new Map();
let kept = [];
for (let i = 0; i < 20000; ++i) {
  counts.set(i % 997, (counts.get(i % 997) || 0) + i);
  kept = kept.concat([i]).slice(-10);
}
console.log(counts.size, kept.reduce((a, b) => a + b));
