//! The commands of the console, as its help tells of them.

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    /// What follows the name; in brackets what may be left out.
    pub(super) arguments: &'static str,
    /// One line of what it does.
    pub(super) about: &'static str,
    pub(super) example: &'static str,
}

impl Command {
    /// The name and what follows it.
    pub(super) fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }
}

pub(super) static COMMANDS: [Command; 15] = [
    Command {
        name: "get",
        arguments: "PATH",
        about: "says the value of a property; a path alone does the same",
        example: "get body.3.velocity",
    },
    Command {
        name: "set",
        arguments: "PATH VALUE",
        about: "sets a property; PATH = VALUE does the same",
        example: "set body.3.velocity 1 0",
    },
    Command { name: "list", arguments: "[PATH]", about: "says what is there", example: "list body.3" },
    Command {
        name: "watch",
        arguments: "PATH",
        about: "keeps showing the value of a property",
        example: "watch world.energy.kinetic",
    },
    Command { name: "unwatch", arguments: "PATH or all", about: "ends that", example: "unwatch world.energy.kinetic" },
    Command {
        name: "spawn",
        arguments: "SHAPE [at POINT] [PROPERTY VALUE]",
        about: "makes a body",
        example: "spawn box 1 0.5 at (0, 5) velocity 1 0 friction 0.9",
    },
    Command {
        name: "add",
        arguments: "BODY SHAPE [at POINT]",
        about: "attaches a shape to a body",
        example: "add body.3 circle 0.5 at (1, 0)",
    },
    Command { name: "remove", arguments: "PATH", about: "removes a body or a shape", example: "remove body.3.shape.0" },
    Command {
        name: "gravity",
        arguments: "[X Y]",
        about: "sets gravity in m/s^2, or says it",
        example: "gravity 0 -9.81",
    },
    Command {
        name: "scene",
        arguments: "[NAME]",
        about: "loads a scene, or says which there are",
        example: "scene falling_bricks",
    },
    Command { name: "pause", arguments: "", about: "stops time", example: "pause" },
    Command { name: "resume", arguments: "", about: "lets time go on", example: "resume" },
    Command { name: "step", arguments: "[COUNT]", about: "makes one step or several", example: "step 10" },
    Command { name: "restart", arguments: "", about: "goes back to the start of the scene", example: "restart" },
    Command { name: "clear", arguments: "", about: "empties the console", example: "clear" },
];

/// `help` itself is no entry of its own list.
pub(super) static HELP: Command =
    Command { name: "help", arguments: "[COMMAND or PATH]", about: "explains", example: "help set" };

/// The command of a name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name == name)
}

/// Every command.
pub(super) fn all() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().chain([&HELP])
}
