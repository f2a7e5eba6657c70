"""Pictures of environments: texts, arrays of pixels, videos."""

from __future__ import annotations

import copy
import pickle
import sys

import gymnasium
import numpy as np
import opyard
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo
from opyard.envs import render

IDS = (
    "opyard/OneShot-v0",
    "opyard/Placement-v0",
    "opyard/Improve-v0",
    "opyard/ListSchedule-v0",
)
STEPWISE = IDS[1:]
GRAPH = "random:layered?n=12&seed=1"
MODES = ("ansi", "rgb_array")
BLUE, ORANGE, PURPLE, GREEN, RED = (
    tuple(bytes.fromhex(colour)) for colour in ("4c78a8", "e0842e", "9c76b0", "b9c9a6", "b3261e")
)


def make(env_id: str, mode: str | None, **kwargs) -> gymnasium.Env:
    return gymnasium.make(env_id, render_mode=mode, **({"graph": GRAPH} | kwargs))


def legal_action(env: gymnasium.Env, rng: np.random.Generator) -> int | list[int]:
    mask = env.unwrapped.action_masks()
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        return int(rng.choice(np.flatnonzero(mask)))
    masks = np.split(mask, np.cumsum(env.action_space.nvec)[:-1])
    return [int(rng.choice(np.flatnonzero(each))) for each in masks]


def play(env: gymnasium.Env, seed: int = 0) -> dict:
    """One episode of random legal actions: the last info."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    is_over = False
    while not is_over:
        *_, is_over, _, info = env.step(legal_action(env, rng))
    return info


def count(picture: np.ndarray, colour: tuple[int, ...]) -> int:
    """How many pixels are of a colour."""
    return int((picture == np.array(colour, np.uint8)).all(axis=-1).sum())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_finds_nothing_wrong(env_id, mode, recwarn):
    check_env(make(env_id, mode).unwrapped)
    assert not [str(warning.message) for warning in recwarn]


@pytest.mark.parametrize("env_id", IDS)
def test_a_text_holds_the_timeline_of_the_plan(env_id):
    env = make(env_id, "ansi")
    info = play(env)
    title, caption, timeline = env.render().split("\n", 2)
    assert title == "random:layered?n=12&seed=1 (12 ops) on p100x2-pcie (3 devices)"
    assert f"completed, makespan {info['makespan_s'] * 1e3:.6g} ms" in caption
    problem = opyard.Problem(GRAPH, "p100x2-pcie")
    plan = env.unwrapped.plan
    assert problem.simulate(plan)["makespan_s"] == info["makespan_s"]
    assert timeline == plan.gantt(problem).text.rstrip("\n")


def test_a_text_says_how_far_an_episode_is():
    env = make("opyard/Placement-v0", "ansi")
    env.reset(seed=0)
    env.step(1)
    assert "\nstep 1 of 12, reference " in env.render()


@pytest.mark.parametrize("env_id", IDS)
def test_a_picture_has_lanes_of_devices_links_and_memory(env_id):
    env = make(env_id, "rgb_array", hardware="p100x2-pcie")
    env.reset(seed=0)
    before = env.render()
    play(env)
    after = env.render()
    for picture in (before, after):
        assert (picture.shape, picture.dtype) == ((540, 960, 3), np.uint8)
    assert min(count(after, colour) for colour in (BLUE, PURPLE, GREEN)) > 200
    assert not np.array_equal(before, after)
    assert not np.shares_memory(after, env.render())
    assert np.array_equal(after, env.render())


def test_the_width_of_a_bar_is_its_share_of_the_makespan():
    graph = opyard.Graph.from_arrays(
        {
            "op_flops": np.zeros(3),
            "tensor_bytes": np.array([8, 8]),
            "tensor_producer": np.array([0, 1]),
            "edge_index": np.array([[0, 1], [1, 2]]),
            "edge_tensor": np.array([0, 1]),
        },
        op_seconds=[0.001, 0.002, 0.005],  # 1/8, 2/8 and 5/8 of 8 ms on one device
    )
    problem = opyard.Problem(graph, "p100x2-pcie", fusion="none")
    scene = render.Scene(
        title="",
        caption="",
        problem=problem,
        plan=problem.plan([1, 1, 1]),
        is_open=np.array([False, True, False]),
        reference_s=0.0,
    )
    picture = render.picture(scene)
    row = 58 + 44 + 20  # in the lane of the second device: 40 high, 4 between
    grey = np.flatnonzero((picture[row] == (0x8A, 0x8A, 0x8A)).all(axis=-1))
    # Lanes reach from 120 to 950: the bars are 103.75 and 518.75 wide, less edges and names.
    assert (grey[0], grey[-1]) == (121, 948)
    first = grey[grey < 120 + 830 * 2 / 8]
    assert first[-1] in range(120 + 100, 120 + 104)
    third = grey[grey > 120 + 830 * 2 / 8]
    assert third[0] in range(120 + 830 * 3 // 8, 120 + 830 * 3 // 8 + 4)
    white = (picture[row - 10, 230:425] == 255).all(axis=-1)
    assert white.all()  # the open op, between them


def test_ops_that_are_open_are_white_until_they_are_decided():
    env = make("opyard/Placement-v0", "rgb_array")
    rng = np.random.default_rng(3)
    env.reset(seed=0)
    blue = [count(env.render(), BLUE)]
    for _ in range(12):
        env.step(legal_action(env, rng))
        blue.append(count(env.render(), BLUE))
    assert blue[0] < 200  # of the legend
    assert blue[-1] > 1000


@pytest.mark.parametrize(
    ("tasks", "turns"),
    [
        (("placement",), "joint"),
        (("scheduling",), "joint"),
        (("placement", "scheduling"), "in_turn"),
    ],
)
def test_an_op_is_open_as_long_as_nothing_of_it_is_decided(tasks, turns):
    env = gymnasium.make("opyard/Placement-v0", graph=GRAPH, tasks=tasks, turns=turns).unwrapped
    env.reset(seed=0)
    assert env._scene().is_open.all()
    env.step(legal_action(env, np.random.default_rng(0)))
    assert env._scene().is_open.sum() == 11


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_plan_that_runs_out_of_memory_is_red():
    values = opyard.load_machine("p100x2-pcie").to_dict()
    for device in values["devices"]:
        device["memory"] = "4 MiB"
    machine = opyard.Machine.from_dict(values)
    env = make("opyard/OneShot-v0", "rgb_array", hardware=machine)
    env.reset(seed=0)
    env.step([1] * 12)
    assert count(env.render()[:58], RED) > 50


def test_an_illegal_action_leaves_empty_lanes():
    env = make("opyard/OneShot-v0", "ansi")
    env.reset(seed=0)
    env.step([99] * 12)
    assert env.render().splitlines()[1].startswith("illegal action, ")
    assert len(env.render().splitlines()) == 2


def test_another_problem_shows_in_the_next_episode():
    machines = ["p100x2-pcie", "v100x8-dgx1"]
    env = make("opyard/OneShot-v0", "rgb_array", hardware=machines)
    pictures = []
    for i in range(2):
        env.reset(seed=0, options={"hardware": i})
        pictures.append(env.render())
    assert pictures[0].shape == pictures[1].shape
    assert not np.array_equal(*pictures)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", IDS)
def test_a_copy_shows_the_same(env_id, mode, how):
    env = make(env_id, mode)
    play(env)
    assert np.array_equal(how(env).render(), env.render())


@pytest.mark.parametrize("env_id", IDS)
def test_nothing_is_shown_without_a_mode(env_id):
    env = make(env_id, None).unwrapped
    env.reset(seed=0)
    assert env.render() is None


def test_texts_are_cut_to_the_room_that_they_have():
    values = opyard.load_machine("p100x2-pcie").to_dict()
    long = "a" * 120
    values["devices"][0]["name"] = long
    values["links"] = [
        link | {"between": [long if end == "cpu0" else end for end in link["between"]]}
        for link in values["links"]
    ]
    env = make("opyard/OneShot-v0", "rgb_array", hardware=opyard.Machine.from_dict(values))
    env.reset(seed=0)
    picture = env.render()
    assert (picture[60:480, :4] == 255).all()  # the left margin is free


def test_without_pillow_a_picture_says_what_to_install(monkeypatch):
    env = make("opyard/OneShot-v0", "rgb_array")
    env.reset(seed=0)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r"pip install 'opyard\[rend"):
        env.unwrapped.render()


@pytest.mark.parametrize("env_id", IDS)
def test_a_video_is_recorded(env_id, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    env = RecordVideo(make(env_id, "rgb_array"), str(tmp_path / "videos"))
    info = play(env)
    env.close()
    (video,) = tmp_path.glob("videos/*.mp4")
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(video))
    assert frames == 1 + info.get("step", 1)  # one after reset, one per step
    assert seconds == frames / env.metadata["render_fps"]
    reader = imageio_ffmpeg.read_frames(str(video))
    assert next(reader)["size"] == (960, 540)
    picture = np.frombuffer(next(reader), np.uint8).reshape(540, 960, 3)
    assert 150 < picture.mean() < 255


@pytest.mark.parametrize("env_id", STEPWISE)
def test_a_native_vector_shows_each_copy(env_id):
    envs = gymnasium.make_vec(env_id, num_envs=2, graph=GRAPH, render_mode="rgb_array")
    assert (envs.render_mode, envs.metadata["render_fps"]) == ("rgb_array", 4)
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    pictures = envs.render()
    assert isinstance(pictures, tuple)
    assert [picture.shape for picture in pictures] == [(540, 960, 3)] * 2
    single = make(env_id, "rgb_array")
    single.reset(seed=1)
    single.step(1)
    # Titles and rewards differ; lanes do not.
    assert np.array_equal(pictures[1][58:], single.render()[58:])


def test_a_native_vector_shows_the_episode_that_has_begun():
    envs = gymnasium.make_vec(
        "opyard/Placement-v0", num_envs=1, graph=GRAPH, render_mode="ansi",
        autoreset_mode="same_step",
    )  # fmt: skip
    envs.reset(seed=0)
    for _ in range(12):
        envs.step(np.array([1]))
    (text,) = envs.render()
    assert "step 0 of 12, reference" in text


def test_a_native_vector_without_a_mode_shows_nothing():
    envs = gymnasium.make_vec("opyard/Placement-v0", num_envs=1, graph=GRAPH)
    envs.reset(seed=0)
    assert envs.render() is None
    with pytest.raises(opyard.InputError, match="render_mode: found 'human'"):
        gymnasium.make_vec("opyard/Placement-v0", num_envs=1, graph=GRAPH, render_mode="human")
