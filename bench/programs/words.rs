// A hash map of words, and a thread.
use std::collections::HashMap;

fn main() {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for i in 0..5000u64 {
        *counts.entry(format!("word{}", i % 97)).or_insert(0) += i;
    }
    let most = std::thread::spawn(move || *counts.values().max().unwrap()).join().unwrap();
    println!("{}", most);
}
